/** Statements that may read a growing table whole: they have `part` in their text. */
export interface Allowed {
  readonly tables: readonly string[];
  readonly part: string;
  readonly reason: string;
}

/** Rows of these are gone when their work is done, so that what there is is what waits: some thousand at a steady rate. */
const queue = "reads what waits, which is what it is about";
const rare = "SQLite looks for rows that wait for their parent, where one is made of which there are few";
const oldest = "takes the oldest by the key until it has enough";

export const mayReadWhole: readonly Allowed[] = [
  { tables: ["jobs"], part: 'group by "location_id"', reason: queue },
  { tables: ["jobs"], part: 'select distinct "location_id" from "jobs" where "agent_session" is null', reason: queue },
  { tables: ["jobs"], part: '"acknowledged" = ? and "leased_at" <= ? order by "leased_at"', reason: queue },
  { tables: ["alert_outbox"], part: 'select distinct "account_id" from "alert_outbox"', reason: queue },
  { tables: ["alert_outbox", "alert_deliveries"], part: 'select count(*) as "alerts", min("created_at")', reason: queue },
  { tables: ["alert_deliveries"], part: 'select min("id") as "head", count(*) as "alerts"', reason: queue },
  { tables: ["held_sessions"], part: 'select count(*) as "count" from "held_sessions"', reason: `${queue}; at most 100,000` },
  { tables: ["alert_episodes"], part: "analysis_asked = 0", reason: "by an index of those alone that nobody has looked at" },
  { tables: ["removed_checks"], part: 'select "check_id" from "removed_checks"', reason: queue },
  { tables: ["dirty_hours", "dirty_days"], part: '"id" % 1048576', reason: `${queue}: hours and days to be computed` },
  { tables: ["incident_news"], part: 'from "incident_news"', reason: queue },
  { tables: ["test_sessions"], part: 'insert into "locations"', reason: rare },
  { tables: ["incident_news"], part: 'insert into "accounts"', reason: rare },
  { tables: ["sessions", "result_details", "result_assets", "heartbeat_events"], part: 'order by "id" limit ?', reason: oldest },
  { tables: ["sessions"], part: 'select "no", "run_at" from "sessions" order by "no" limit ?', reason: oldest },
  { tables: ["check_alerts", "alert_outbox"], part: 'select "id" from "check_alerts" where "created_at" <', reason: oldest },
  { tables: ["error_groups"], part: 'order by "last_seen" limit $3', reason: oldest },
  { tables: ["given_up_alerts"], part: 'delete from "given_up_alerts" where "alert_id" is null', reason: "few: each took a day of tries" },
  { tables: ["test_sessions"], part: 'delete from "test_sessions" where "started_at" <', reason: "all of them are older in the test" },
  { tables: ["documents"], part: 'delete from "documents" where "kind" = ? and "is_open" = ?', reason: "once an hour, what people wrote" },
  { tables: ["documents"], part: "kind = 'maintenance-window' and is_open = 1", reason: "by an index of the open ones alone" },
  { tables: ["checks"], part: 'select "id" from "checks" order by "id"', reason: "retention has to look at each check; once an hour" },
  { tables: ["checks"], part: "from checks as c cross join", reason: "retention has to look at each check; once an hour" },
  {
    tables: ["checks", "check_statuses"],
    part: '"last_started_us", "last_location" from "checks" left join "check_statuses"',
    reason: "whether a check is silent is asked of each check, once a minute",
  },
  { tables: ["checks"], part: 'where "next_due" is not null order by "next_due" limit ?', reason: "ends at the first row of the index" },
  {
    tables: ["blobs"],
    part: 'select * from "blobs" where (("stored_at" is null',
    reason: "a sweep asks of each file whether its result is there",
  },
  { tables: ["heartbeats"], part: '"heartbeats"."token" not like', reason: "once, after an upgrade" },
  { tables: ["subscriber_mails"], part: 'from "subscriber_mails" where "due_at" <= $1 limit', reason: "all of them are due in the test" },
  {
    tables: ["sessions", "checks"],
    part: 'from "test_sessions" inner join "locations"',
    reason: "the filter of test sessions by status, on PostgreSQL: to be mended by a status of their own",
  },
  { tables: ["check_locations"], part: 'select "id", "code" from "locations" where', reason: "ends at the first row of a location" },
  ...testsOwn(
    'select count(*) as "n" from',
    "select count(*)::int as rows from",
    'select * from "result_assets"',
    'select * from "agent_errors"',
    'select * from "alert_deliveries" order by "id"',
    'select * from "alert_notifications"',
    'select * from "certificate_notices"',
    'select * from "alert_outbox"',
    'select * from "alert_states"',
    'select * from "results"',
    'select * from "checks" where 1 = 1',
    'select * from "heartbeats" where 1 = 1',
    'select "id" from "alert_deliveries"',
    'select "search_name", "script_runtime" from "checks"',
    'select "started_at_us" from "results" order by "started_at_us"',
    'select "id" from "dirty_hours" order by "id"',
    "select name from result_assets order by name",
    "select id from result_details",
    'delete from "check_alerts"',
    'select * from "alert_episodes" order by "id"',
    'delete from "results"',
    'delete from "rollup_hours" where "id" >',
    'update "results" set "location_id" =',
    "update checks set type = 'BROWSER'",
  ),
];

/** The whole text, or its beginning: a test looks at what is stored, or makes what an earlier version left. */
function testsOwn(...parts: readonly string[]): readonly Allowed[] {
  return parts.map((part) => ({ tables: [], part, reason: "a test's own" }));
}
