<#include "page.ftl">
<@block name="not-on-the-page"></@block>
