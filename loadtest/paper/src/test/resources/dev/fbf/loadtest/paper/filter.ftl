<@block name="not-on-the-page"></@block>
