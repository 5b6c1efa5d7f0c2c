<#-- The blocks of docs/research/cassandra.md. -->
<#include "page.ftl">
<#assign last = figures.figure14?last>
<#assign error = 100 * (last.exact / last.expected - 1), columnError = 100 * (last.column / last.expectedOfColumn - 1)>
<@block name="figure-14">
<#assign because = f("In the end Cassandra's own counter is wrong by %+.1f %%, fbf's by %.1f %%.", columnError, error)>
<@claim where="Figure 14" claim="without the filter the counter is wrong, with it it is exact" paper="6 %, 0 %" here=[because] holds=[error == 0 && columnError gt 0]>
${because}
</@claim>

${plots["figure-14"]}
</@block>

<@block name="figure-15">
<#assign its = figures.figure15, slower = its.exact / its.column - 1>
<#assign because = f("fbf's counter takes %.1f ms, Cassandra's own %.1f ms (medians): %.0f %% ", its.exact, its.column, 100 * slower?abs) + (slower lte 0)?then("less.", "more.")>
<@claim where="Figure 15" claim="the filter costs a tenth of the time" paper="10 % slower" here=[because] holds=[slower lte 0.1]>
${because}
</@claim>
</@block>

<@block name="figure-17">
<#function excess value operations><#return 100 * (value - operations) / operations></#function>
<#assign largest = figures.figure17?map(cell -> excess(cell.column, cell.operations))?max>
<#assign because = f("The largest error of Cassandra's own counter is %+.1f %%.", largest)>
<@claim where="Figure 17" claim="no loss and no delay makes the counter with the filter wrong" paper="5 %, 0 %" here=[because] holds=[largest gt 0 && !figures.figure17?filter(cell -> cell.exact != cell.operations)?has_content]>
${because}
</@claim>

| responses lost | delay of a chunk, ms | operations | retries | error of Cassandra's counter | error of fbf's counter |
| --: | --: | --: | --: | --: | --: |
<#list figures.figure17 as cell>
| ${f("%.0f %%", 100 * cell.loss)} | ${cell.delayMillis} | ${cell.operations} | ${cell.retries} | ${f("%+.1f %%", excess(cell.column, cell.operations))} | ${f("%.1f %%", excess(cell.exact, cell.operations))} |
</#list>
</@block>
