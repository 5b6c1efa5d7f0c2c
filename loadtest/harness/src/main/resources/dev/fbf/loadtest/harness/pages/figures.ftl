<#-- The blocks of figures on the pages, each from the JSON of its run: `result`, whose properties are variables too. -->
<#-- With three significant digits, as a rule. -->
<#function r value><#return f((value?abs < 10)?then("%.2f", "%,.0f"), value)></#function>
<#function percent value><#return (value == 0)?then("0", f("%+.1f %%", value))></#function>
<#function only found>
  <#if found?size != 1><#stop "the result has ${found?size} such elements, not 1"></#if>
  <#return found[0]>
</#function>
<#-- What a contender of the guard benchmark did in a workload. -->
<#function summaries run workload>
  <#local its = run.figures.results?filter(it -> it.workload == workload)>
  <#return only(its).summaries>
</#function>
<#function guard run workload contender>
  <#local its = summaries(run, workload)?filter(it -> it.contender == contender)>
  <#return only(its)>
</#function>
<#function rate workload contender run=result><#return guard(run, workload, contender).perSecond></#function>
<#-- The range over this run and those before it. -->
<#function range workload contender other>
  <#local ratios = []>
  <#list (earlier![]) + [result] as run>
    <#local ratios = ratios + [rate(workload, contender, run) / rate(workload, other, run)]>
  </#list>
  <#local least = r(ratios?min)>
  <#local most = r(ratios?max)>
  <#return (least == most)?then(most, least + " … " + most)>
</#function>
<#function nanos benchmark contender>
  <#return f("%,.0f ns", guard(result, benchmark + ", 64 MiB", contender).nanos)>
</#function>
<#-- The contenders beside one another: a row for each result, with its name and these figures of each contender. -->
<#macro beside title results names columns>
<#local contenders = []>
<#list results as one><#list one.summaries as s><#if !contenders?seq_contains(s.contender)><#local contenders += [s.contender]></#if></#list></#list>
| ${title} |<#list contenders as contender> `${contender}`/s |<#list columns as column> ${column.title} |</#list></#list>
| --- |<#list contenders as contender> --: |<#list columns as column> --: |</#list></#list>
<#list results as one>
| ${names[one?index]} |<#list contenders as contender><#local its = one.summaries?filter(s -> s.contender == contender)><#if its?size == 0>  |<#list columns as column>  |</#list><#else> ${f("%,.0f", its[0].perSecond)} |<#list columns as column> ${f(column.format, its[0][column.figure] / column.unit)} |</#list></#if></#list>
</#list>
</#macro>
<#switch block>
<#on "run">
Run of ${date[0..9]}, commit ${commit}: <#list environment as name, value>${value}${(name == "cores")?then(" cores", "")}<#sep>, </#list>; other tenants took ${f("%.1f", 100 * machine.steal)} % of the processors' time, a sync of the disk took ${f("%,.0f", machine.syncMicrosBefore)} µs before and ${f("%,.0f", machine.syncMicros)} µs after.
<#if machine.warning??>
**Warning:** ${machine.warning}.
</#if>
<#on "targets">
|  | wanted | measured |  |
| --- | --: | --: | --- |
<#list targets as target>
| ${target.name} | ${target.wanted} | ${r(target.measured)} | ${target.met?then("met", "missed")} |
</#list>
<#on "guard/short">
| operations per second, as a multiple of | the plain transaction, which counts retries again | one CTE with a row per key |
| --- | --: | --: |
<#list [
  ["New operations on 1,000 rows, your SQL in a guarded method: ledger mode", "ROWS", "LEDGER"],
  ["… with `sqlOnly = true`", "ROWS", "LEDGER_SQL_ONLY"],
  ["… filter mode", "ROWS", "FILTER"],
  ["90 % retries on 1,000 rows: ledger mode", "ROWS_STORM", "LEDGER"],
  ["… filter mode", "ROWS_STORM", "FILTER"],
  ["New operations on one hot row: ledger mode", "HOT", "LEDGER"],
  ["… counted by `SqlCounters`: ledger mode", "HOT", "COUNTERS_LEDGER"],
  ["… filter mode", "HOT", "COUNTERS"]
] as row>
| ${row[0]} | ${range(row[1], row[2], "PLAIN")} | ${range(row[1], row[2], "CTE")} |
</#list>
<#on "guard/front">
<#assign workloads = ["ROWS", "ROWS_RETRIES", "ROWS_STORM", "HOT", "HOT_RETRIES", "HOT_STORM"]>
| requests/s over `CTE` | 1,000 rows: no retries | 5 % | 90 % | one row: no retries | 5 % | 90 % |
| --- | --: | --: | --: | --: | --: | --: |
<#list ["PLAIN", "KEY_INSERT", "FILTER", "LEDGER", "LEDGER_SQL_ONLY", "COUNTERS", "COUNTERS_LEDGER"] as contender>
| `${contender}` |<#list workloads as workload> ${f("%.2f", rate(workload, contender) / rate(workload, "CTE"))} |</#list>
</#list>

`CTE` itself, in the order of the columns: <#list workloads as workload>${f("%,.0f", rate(workload, "CTE"))}<#sep>, </#list> requests/s.
<#on "guard/HOT", "guard/ROWS", "guard/ZIPF">
<#assign workload = block?keep_after("/")>
<#assign unit = rate(workload, "UPDATE")>
<#-- Its server's processor time is the least that groups can have. -->
<#assign limit = summaries(result, workload)?filter(s -> s.contender == "GROUPED_UPSERT")>
|  | requests/s | over `UPDATE` | rounds | with 5 % retries | with 90 % | p50 ms | p99 ms | p99.9 ms | server µs |<#if limit?size == 1> over `GROUPED_UPSERT` |</#if> transactions | WAL bytes | table bytes |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |<#if limit?size == 1> --: |</#if> --: | --: | --: |
<#list summaries(result, workload) as s>
| `${s.contender}` | ${f("%,.0f", s.perSecond)} | ${f(s.contender?starts_with("COUNTERS")?then("**%.2f**", "%.2f"), s.perSecond / unit)} | ${f("%.2f", s.slowest / unit)} … ${f("%.2f", s.fastest / unit)} |<#list ["_RETRIES", "_STORM"] as retries> ${f("%.2f", rate(workload + retries, s.contender) / rate(workload + retries, "UPDATE"))} |</#list> ${r(s.p50Micros / 1000)} | ${r(s.p99Micros / 1000)} | ${r(s.p999Micros / 1000)} | ${r(s.serverMicros)} |<#if limit?size == 1> ${f("%.2f", s.serverMicros / limit[0].serverMicros)} |</#if> ${f("%.2f", s.transactions)} | ${f("%,.0f", s.walBytes)} | ${f("%,.0f", s.tableBytes)} |
</#list>
<#on "guard/IDLE">
<#assign unit = guard(result, "IDLE", "UPDATE").p50Micros>
|  | requests/s | p50 ms | over `UPDATE` | p99 ms | p99.9 ms |
| --- | --: | --: | --: | --: | --: |
<#list summaries(result, "IDLE") as s>
| `${s.contender}` | ${f("%,.0f", s.perSecond)} | ${r(s.p50Micros / 1000)} | ${f("%.2f", s.p50Micros / unit)} | ${r(s.p99Micros / 1000)} | ${r(s.p999Micros / 1000)} |
</#list>
<#on "bench/filters">
| filters of 64 MiB | fbf | Guava's Bloom filter |
| --- | --: | --- |
| check, N = 4 | ${nanos("check", "FBF_N4")} | ${nanos("check", "GUAVA_N4")} (six in rotation) |
| check, N = 22 | ${nanos("check", "FBF_N22")} | ${nanos("check", "GUAVA_N22")} (24 in rotation) |
| check | ${nanos("check", "FBF_N4")} | ${nanos("check", "GUAVA")} (one, which forgets nothing) |
| put | ${nanos("put", "FBF_N4")} | ${nanos("put", "GUAVA")} (one) |
<#on "curves/clients", "curves/rows">
<#assign rows = block == "curves/rows">
<#assign its = figures.results?filter(it -> rows?then(it.workload?starts_with("16x"), it.workload?ends_with("x1")))>
<#assign numbers = its?map(it -> f("%,d", (rows?then(it.workload?keep_after("x"), it.workload?keep_before("x")))?number))>
<@beside rows?then("rows, all alike, 16 clients", "clients, on one row"), its, numbers, [
  {"title": "p50 ms", "figure": "p50Micros", "unit": 1000, "format": "%.2f"},
  {"title": "server µs", "figure": "serverMicros", "unit": 1, "format": "%.1f"}] />
<#on "ledger-growth/costs">
<@beside "", figures.results?sort_by("workload"), figures.results?sort_by("workload")?map(it -> it.workload), [
  {"title": "server µs", "figure": "serverMicros", "unit": 1, "format": "%,.0f"},
  {"title": "WAL bytes", "figure": "walBytes", "unit": 1, "format": "%,.0f"}] />
<#on "loadtest/counters">
<#assign e = figures.endpoints!figures.rows[0].endpoints>
|  | guarded | unguarded |
| --- | --: | --: |
| distinct operations | ${f("%,d", e.guarded.expected)} | ${f("%,d", e.unguarded.expected)} |
| requests sent | ${f("%,d", (e.guarded.faults!e.guarded.outcome).sent)} | ${f("%,d", (e.unguarded.faults!e.unguarded.outcome).sent)} |
| counter | **${f("%,d", e.guarded.counter)}** | ${f("%,d", e.unguarded.counter)} |
| error | **${percent(e.guarded.errorPercent)}** | ${percent(e.unguarded.errorPercent)} |
<#on "loadtest-capacity/rates">
<#assign unguarded = (figures.rows[0].medians!figures.rows[0]).requestsPerSecond>
|  | requests/s | over unguarded | lowest … highest | p50 ms | p99 ms | p99.9 ms | error | processor µs for each request: Gatling, application, database |
| --- | --: | --: | --: | --: | --: | --: | --: | --: |
<#list figures.rows as row>
<#assign m = row.medians!row>
<#assign micros = row.microsPerRequest!m>
| ${row.contender.endpoint}${(row.contender.endpoint == "unguarded")?then("", ", " + row.contender.mode)} | ${f("%,.0f", m.requestsPerSecond)} | ${f("%.2f", m.requestsPerSecond / unguarded)} | ${f("%,.0f", row.lowest)} … ${f("%,.0f", row.highest)} | ${r(m.p50Millis)} | ${r(m.p99Millis)} | ${r(m.p999Millis)} | ${percent(row.errorPercent)} | ${f("%,.0f", micros.gatling)}, ${f("%,.0f", micros.app)}, ${f("%,.0f", micros.postgres)} |
</#list>
<#on "loadtest-network/errors">
<#-- The unguarded counter's: a row for each share of lost responses, a column for each delay. -->
<#assign losses = []><#assign delays = []>
<#list figures.rows as row><#if !losses?seq_contains(row.loss)><#assign losses += [row.loss]></#if><#if !delays?seq_contains(row.delayMillis)><#assign delays += [row.delayMillis]></#if></#list>
| responses lost |<#list delays?sort as delay> ${(delay == 0)?then("no delay", f("%d ms", delay))} |</#list>
| --- |<#list delays as delay> --: |</#list>
<#list losses?sort as loss>
| ${f("%.0f %%", 100 * loss)} |<#list delays?sort as delay> ${percent(only(figures.rows?filter(row -> row.loss == loss && row.delayMillis == delay)).endpoints.unguarded.errorPercent)} |</#list>
</#list>
<#default>
<#stop "figures=${block}: there are no such figures">
</#switch>
