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
  <#local size = settings.mebibytes?number>
  <#local its = figures.measurements?filter(it -> it.benchmark == benchmark && it.contender == contender && it.mebibytes == size && it.threads == 1 && (it.memory!"") == "")>
  <#return f("%,.0f ns", only(its).medianNanos)>
</#function>
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
  ["90 % retries, the same: ledger mode", "ROWS_STORM", "LEDGER"],
  ["… filter mode", "ROWS_STORM", "FILTER"],
  ["New operations on one hot row, the same: ledger mode", "HOT", "LEDGER"],
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
| filters of ${settings.mebibytes} MiB | fbf | Guava's Bloom filter |
| --- | --: | --- |
| check, N = 4 | ${nanos("check", "FBF_N4")} | ${nanos("check", "GUAVA_N4")} (six in rotation) |
| check, N = 22 | ${nanos("check", "FBF_N22")} | ${nanos("check", "GUAVA_N22")} (24 in rotation) |
| check | ${nanos("check", "FBF_N4")} | ${nanos("check", "GUAVA")} (one, which forgets nothing) |
| put | ${nanos("put", "FBF_N4")} | ${nanos("put", "GUAVA")} (one) |
<#list targets?filter(target -> target.name?starts_with("open after a kill")) as target>
| ${target.name} | ${r(target.measured)} |  |
</#list>
<#on "curves/clients", "curves/rows", "curves/filters", "curves/windows", "curves/nodes", "curves/databases">
<#assign name = block?keep_after("/")>
<#assign curve = only(figures.curves?filter(it -> it.dimension == name?upper_case))>
![${curve.description}](performance/curves-${name}.png)

| ${curve.description} |<#list curve.lines as line> `${line.contender}`/s | p50 ms | server µs |</#list>
| --- |<#list curve.lines as line> --: | --: | --: |</#list>
<#assign labels = []>
<#list curve.lines as line><#list line.points as point><#if !labels?seq_contains(point.label)><#assign labels += [point.label]></#if></#list></#list>
<#list labels as label>
| ${label} |<#list curve.lines as line><#assign its = line.points?filter(point -> point.label == label)><#if its?size == 0>  |  |  |<#else> ${f("%,.0f", its[0].perSecond)} | ${f("%.2f", its[0].p50Micros / 1000)} | ${f("%.1f", its[0].serverMicros)} |</#if></#list>
</#list>
<#if curve.notes?size != 0>

${curve.notes?join(" ")}
</#if>
<#on "ledger-growth/costs">
![The cost of an operation as the ledger grows](performance/ledger-growth-costs.png)

| | |<#list figures.sizes as size> per second, ${f("%,d", size.rows)} rows | server µs | WAL bytes |</#list>
| --- | --- |<#list figures.sizes as size> --: | --: | --: |</#list>
<#list figures.sizes[0].summaries?sort_by("label") as row>
| ${row.label} | `${row.contender}` |<#list figures.sizes as size><#assign its = only(size.summaries?filter(it -> it.label == row.label && it.contender == row.contender))> ${r(its.perSecond)} | ${f("%,.0f", its.serverMicros)} | ${f("%,.0f", its.walBytes)} |</#list>
</#list>
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
