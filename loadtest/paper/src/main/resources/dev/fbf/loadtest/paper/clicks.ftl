<#-- The blocks of docs/research/clicks.md. -->
<#function both trial><#return (trial.lost + trial.missed) / [1, trial.clicks + trial.duplicates]?max></#function>
<#-- Three digits or so, and none for what did not happen. -->
<#function share value>
  <#local it = 100 * value>
  <#return (it == 0)?then("0", f((it < 0.1)?then("%.4f %%", (it < 10)?then("%.2f %%", "%.1f %%")), it))>
</#function>
<#macro table trials>
<#local nanos = trials?filter(trial -> trial.peer == figures.own.peer)[0].nanosAClick>
| contender | bits a click | bytes a click | clicks lost | duplicates missed | errors of all arrivals | ns an arrival | time over fbf's |
| --- | --: | --: | --: | --: | --: | --: | --: |
<#list trials as e>
| ${e.peer} | ${f("%,.1f", e.bitsAClick)} | ${f("%,.2f", e.bitsAClick / 8)} | ${share(e.lost / [1, e.clicks]?max)} | ${share(e.missed / [1, e.duplicates]?max)} | ${share(both(e))} | ${f("%,.0f", e.nanosAClick)} | ${f("%.2f", e.nanosAClick / nanos)} |
</#list>
</#macro>
<@block name="verdicts">
<#assign own = figures.own, best = figures.mostAccurate, fastest = figures.fastest>
- **Fewest errors with one memory budget: ${(both(own) lte both(best))?then("holds", "does not hold")}. The forgetful Bloom filter has ${share(both(own))}, the best peer (${best.peer}) ${share(both(best))}.**
- **Least time with one memory budget: ${(own.nanosAClick lte fastest.nanosAClick)?then("holds", "does not hold")}. The forgetful Bloom filter takes ${f("%.0f", own.nanosAClick)} ns an arrival, the fastest peer (${fastest.peer}) ${f("%.0f", fastest.nanosAClick)} ns.**
</@block>

<@block name="one-memory-budget">
<@table figures.oneMemory />
</@block>

<@block name="one-error-budget">
<@table figures.oneErrorBudget />
</@block>

<@block name="plots">
${plots["clicks-memory"]}

${plots["clicks-cost"]}
</@block>
