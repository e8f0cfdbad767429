{{/* The alerts, each with what to do next. Takes rule (prometheusRule of the values), ours (label matchers) and several. */}}
{{- define "outpost-control-plane.alerts" -}}
{{- $rule := .rule }}
{{- $ours := .ours -}}
- alert: OutpostControlPlaneDown
  expr: absent(up{ {{- $ours -}} } == 1)
  for: 5m
  labels: {severity: critical}
  annotations:
    summary: No Outpost control plane answers
    description: No process answers /metrics, or none reaches its database. Agents keep their results until it is back. See the pods' events and logs, and /-/readiness.
{{- if .several }}
- alert: OutpostControlPlaneReplicaDown
  expr: up{ {{- $ours -}} } == 0
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `The control plane {{ $labels.pod }} does not answer` | quote }}
    description: The other processes go on without it. See the pod's events and logs.
{{- end }}
- alert: OutpostWorkFails
  expr: min by (work) (outpost_work_ok{ {{- $ours -}} }) == 0
  for: 2m
  labels: {severity: critical}
  annotations:
    summary: {{ `A part of the control plane does not work: {{ $labels.work }}` | quote }}
    description: GET /health of its pods shows why and since when. Usual causes are a full volume, and a database that is damaged or does not answer.
- alert: OutpostClockStepped
  expr: sum by (pod, direction) (increase(outpost_clock_steps_total{ {{- $ours -}} }[15m])) > 0
  labels: {severity: warning}
  annotations:
    summary: {{ `The wall clock of {{ $labels.pod }} stepped {{ $labels.direction }}` | quote }}
    description: Waiting times are not affected, but displayed times and slots of the schedule are. GET /health shows by how much it stepped. Check the NTP client of the node.
- alert: OutpostControlPlaneRestarts
  expr: changes(process_start_time_seconds{ {{- $ours -}} }[30m]) > 3
  labels: {severity: warning}
  annotations:
    summary: {{ `The control plane {{ $labels.pod }} started {{ $value }} times in 30 minutes` | quote }}
    description: See why the last container ended (kubectl describe pod), and its log (kubectl logs --previous). A usual cause is the memory limit.
- alert: OutpostRunsMissed
  expr: sum(increase(outpost_runs_missed_total{ {{- $ours -}} }[15m])) > {{ $rule.missedRuns }}
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} runs were missed in 15 minutes` | quote }}
    description: No agent took these runs in time. Find the private location that has no agents, or too few. On a host of its agents, outpost doctor shows why they cannot work.
- alert: OutpostQueueNotServed
  expr: max(outpost_jobs_oldest_due_seconds{ {{- $ours -}} }) > {{ $rule.oldestDueSeconds }}
  for: 2m
  labels: {severity: warning}
  annotations:
    summary: {{ `A job has waited for an agent for {{ $value | humanizeDuration }}` | quote }}
    description: A location has no agents, or too few for its checks. Its runs will soon be missed. Start agents, or raise their jobConcurrency.
- alert: OutpostScheduleLate
  expr: histogram_quantile(0.99, sum by (le) (rate(outpost_schedule_lag_seconds_bucket{ {{- $ours -}} }[10m]))) > {{ $rule.scheduleLagSeconds }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `Runs are queued {{ $value | humanizeDuration }} late (99th percentile)` | quote }}
    description: The control plane or its database does not keep up. Look at its CPU, its event loop and the database. Give it more CPU.
- alert: OutpostScheduleStopped
  expr: sum(increase(outpost_schedule_lag_seconds_count{ {{- $ours -}} }[15m])) == 0 and sum(increase(outpost_schedule_lag_seconds_count{ {{- $ours -}} }[15m] offset 30m)) > 0
  for: 5m
  labels: {severity: critical}
  annotations:
    summary: Nothing was scheduled for 15 minutes
    description: There were runs half an hour ago, and there are none now. If nobody paused the checks, look for errors of the scheduler in the control plane's log.
- alert: OutpostJobsRequeued
  expr: sum(increase(outpost_jobs_requeued_total{ {{- $ours -}} }[30m])) > {{ $rule.requeuedJobs }}
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} jobs were queued again in 30 minutes` | quote }}
    description: Their agents went silent during the runs, so other agents ran them again. Check whether agents are killed (memory limit, short grace period) or cut off from the control plane.
- alert: OutpostAgentErrors
  expr: sum(increase(outpost_agent_error_events_total{ {{- $ours -}} }[30m])) > {{ $rule.agentErrors }}
  labels: {severity: warning}
  annotations:
    summary: {{ `Agents reported {{ $value | humanize }} errors about themselves in 30 minutes` | quote }}
    description: The control plane's log contains each error. For details, run outpost doctor on the agent's host.
- alert: OutpostServerErrors
  expr: 100 * sum(rate(outpost_http_request_duration_seconds_count{ {{- $ours -}} ,status="5xx"}[10m])) / sum(rate(outpost_http_request_duration_seconds_count{ {{- $ours -}} }[10m])) > {{ $rule.serverErrorPercent }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} % of requests fail because of the control plane` | quote }}
    description: Each has a line "request failed" with its cause in the log. Usual causes are a database that does not answer, and a full volume.
- alert: OutpostAlertsNotDelivered
  expr: sum by (channel) (increase(outpost_alert_deliveries_total{ {{- $ours -}} ,outcome="given_up"}[30m])) > 0
  labels: {severity: warning}
  annotations:
    summary: {{ `Alert deliveries to channels of type {{ $labels.channel }} fail` | quote }}
    description: Outpost retried them and gave up. GET /v1/alert-notifications shows the channel and the service's answer. POST /v1/alert-channels/{id}/test sends a test message.
- alert: OutpostControlPlaneBusy
  expr: max(nodejs_eventloop_lag_p99_seconds{ {{- $ours -}} }) > {{ $rule.eventLoopLagSeconds }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `The event loop of the control plane lags {{ $value | humanizeDuration }}` | quote }}
    description: It is out of CPU, and everything waits. Raise its CPU request, and with PostgreSQL the number of replicas.
{{- end }}
