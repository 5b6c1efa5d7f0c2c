<#-- The blocks of docs/research/clicks.md. -->
<#function both errors><#return (errors.lost + errors.missed) / [1, errors.clicks + errors.duplicates]?max></#function>
<#-- Three digits or so, and none for what did not happen. -->
<#function share value>
  <#local it = 100 * value>
  <#return (it == 0)?then("0", f((it < 0.1)?then("%.4f %%", (it < 10)?then("%.2f %%", "%.1f %%")), it))>
</#function>
<#macro table finishes>
<#local nanos = finishes?filter(finish -> finish.contender == figures.forgetful)[0].nanosAClick>
| contender | bits a click | bytes a click | clicks lost | duplicates missed | errors of all arrivals | ns an arrival | time over fbf's |
| --- | --: | --: | --: | --: | --: | --: | --: |
<#list finishes as finish><#local e = finish.errors>
| ${finish.contender} | ${f("%,.1f", finish.bitsAClick)} | ${f("%,.2f", finish.bitsAClick / 8)} | ${share(e.lost / [1, e.clicks]?max)} | ${share(e.missed / [1, e.duplicates]?max)} | ${share(both(e))} | ${f("%,.0f", finish.nanosAClick)} | ${f("%.2f", finish.nanosAClick / nanos)} |
</#list>
</#macro>
<@block name="verdicts">
<#assign own = figures.own, best = figures.mostAccurate, fastest = figures.fastest>
- **Fewest errors with one memory budget: ${(both(own.errors) lte both(best.errors))?then("holds", "does not hold")}. The forgetful Bloom filter has ${share(both(own.errors))}, the best peer (${best.contender}) ${share(both(best.errors))}.**
- **Least time with one memory budget: ${(own.nanosAClick lte fastest.nanosAClick)?then("holds", "does not hold")}. The forgetful Bloom filter takes ${f("%.0f", own.nanosAClick)} ns an arrival, the fastest peer (${fastest.contender}) ${f("%.0f", fastest.nanosAClick)} ns.**
</@block>

<@block name="one-memory-budget">
<@table figures.race?filter(finish -> finish.oneMemory) />
</@block>

<@block name="one-error-budget">
<@table figures.race?filter(finish -> !finish.oneMemory) />
<#if !figures.race?filter(finish -> finish.contender == figures.redis)?has_content>

No Redis was found: it is left out.
</#if>
<#if figures.late != 0>

The machine was too slow: the run fell behind its pace by ${f("%.1f %%", 100 * figures.late)} of a window, so Redis expired keys early.
</#if>
</@block>

<@block name="plots">
${plots["clicks-memory"]}

${plots["clicks-cost"]}
</@block>
