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
    summary: {{ `The control plane does not get its work done: {{ $labels.work }}` | quote }}
    description: GET /health of its pods says why and since when. A full volume, a damaged database or one that does not answer are usual causes.
- alert: OutpostClockStepped
  expr: sum by (pod, direction) (increase(outpost_clock_steps_total{ {{- $ours -}} }[15m])) > 0
  labels: {severity: warning}
  annotations:
    summary: {{ `The wall clock of {{ $labels.pod }} stepped {{ $labels.direction }}` | quote }}
    description: Waits go on as if it had not; times that people see, and slots of the schedule, follow it. GET /health says by how much. See to the NTP client of the node.
- alert: OutpostControlPlaneRestarts
  expr: changes(process_start_time_seconds{ {{- $ours -}} }[30m]) > 3
  labels: {severity: warning}
  annotations:
    summary: {{ `The control plane {{ $labels.pod }} started {{ $value }} times in 30 minutes` | quote }}
    description: See why the last container ended (kubectl describe pod) and its log (kubectl logs --previous); the memory limit is a usual cause.
- alert: OutpostRunsMissed
  expr: sum(increase(outpost_runs_missed_total{ {{- $ours -}} }[15m])) > {{ $rule.missedRuns }}
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} runs were missed in 15 minutes` | quote }}
    description: No agent took these runs in time. See which private location has no agents, or too few; outpost doctor on a host of its agents tells why they cannot work.
- alert: OutpostQueueNotServed
  expr: max(outpost_jobs_oldest_due_seconds{ {{- $ours -}} }) > {{ $rule.oldestDueSeconds }}
  for: 2m
  labels: {severity: warning}
  annotations:
    summary: {{ `A job has waited for an agent for {{ $value | humanizeDuration }}` | quote }}
    description: A location has no agents, or fewer than its checks need; its runs become missed ones next. Start agents, or give them more seats (jobConcurrency).
- alert: OutpostScheduleLate
  expr: histogram_quantile(0.99, sum by (le) (rate(outpost_schedule_lag_seconds_bucket{ {{- $ours -}} }[10m]))) > {{ $rule.scheduleLagSeconds }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `Runs are queued {{ $value | humanizeDuration }} late (99th percentile)` | quote }}
    description: The control plane or its database does not keep up. Look at its CPU, its event loop and the database; give it more CPU.
- alert: OutpostScheduleStopped
  expr: sum(increase(outpost_schedule_lag_seconds_count{ {{- $ours -}} }[15m])) == 0 and sum(increase(outpost_schedule_lag_seconds_count{ {{- $ours -}} }[15m] offset 30m)) > 0
  for: 5m
  labels: {severity: critical}
  annotations:
    summary: Nothing was scheduled for 15 minutes
    description: There were runs half an hour ago, and there are none now. When nobody deactivated the checks, see the control plane's log for errors of its scheduler.
- alert: OutpostJobsRequeued
  expr: sum(increase(outpost_jobs_requeued_total{ {{- $ours -}} }[30m])) > {{ $rule.requeuedJobs }}
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} jobs were queued again in 30 minutes` | quote }}
    description: Their agents went silent while they ran them, so they ran again elsewhere. See whether agents are killed (memory limit, short grace period) or cut off from the control plane.
- alert: OutpostAgentErrors
  expr: sum(increase(outpost_agent_error_events_total{ {{- $ours -}} }[30m])) > {{ $rule.agentErrors }}
  labels: {severity: warning}
  annotations:
    summary: {{ `Agents reported {{ $value | humanize }} errors about themselves in 30 minutes` | quote }}
    description: The control plane's log has each of them; outpost doctor on the agent's host tells more.
- alert: OutpostServerErrors
  expr: 100 * sum(rate(outpost_http_request_duration_seconds_count{ {{- $ours -}} ,status="5xx"}[10m])) / sum(rate(outpost_http_request_duration_seconds_count{ {{- $ours -}} }[10m])) > {{ $rule.serverErrorPercent }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `{{ $value | humanize }} % of requests fail on the side of the control plane` | quote }}
    description: Each has a line "request failed" with its cause in the log; a database that does not answer or a full volume are usual causes.
- alert: OutpostAlertsNotDelivered
  expr: sum by (channel) (increase(outpost_alert_deliveries_total{ {{- $ours -}} ,outcome="given_up"}[30m])) > 0
  labels: {severity: warning}
  annotations:
    summary: {{ `Channels of type {{ $labels.channel }} could not be told of alerts` | quote }}
    description: They were tried again and given up. GET /v1/alert-notifications says which channel and what its service answered; POST /v1/alert-channels/{id}/test tries it.
- alert: OutpostControlPlaneBusy
  expr: max(nodejs_eventloop_lag_p99_seconds{ {{- $ours -}} }) > {{ $rule.eventLoopLagSeconds }}
  for: 10m
  labels: {severity: warning}
  annotations:
    summary: {{ `The event loop of the control plane lags {{ $value | humanizeDuration }}` | quote }}
    description: It is out of CPU, and everything waits. Raise its CPU request, and with PostgreSQL the number of replicas.
{{- end }}
