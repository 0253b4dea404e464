import type { StoreProblem } from '../event-store.js'

/** What the database says of its standbys; only `pg_read_all_stats` shows their states. */
export interface ReplicationState {
  /** Connected ones that could take over. */
  standbys: number
  /** Of them, those that confirm commits; null if the login may not see it. */
  synchronous: number | null
  /** Physical replication slots: a standby is expected, and may be away now. */
  slots: number
  /** `synchronous_standby_names` */
  names: string
  /** `synchronous_commit` of this connection. */
  commit: string
}

/**
 * Backups and logical subscribers are connected as standbys are, and never take over.
 * `pg_stat_replication` shows their names to every login, their states only to some.
 */
export const REPLICATION = `SELECT
    count(*) FILTER (WHERE could_take_over)::int AS standbys,
    CASE WHEN count(state) = count(*) THEN
      count(*) FILTER (WHERE could_take_over AND sync_state IN ('sync', 'quorum'))::int END AS synchronous,
    (SELECT count(*)::int FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary) AS slots,
    current_setting('synchronous_standby_names') AS names,
    current_setting('synchronous_commit') AS commit
  FROM (
    SELECT state, sync_state, application_name NOT IN ('pg_basebackup', 'pg_receivewal') AND NOT EXISTS (
      SELECT FROM pg_replication_slots WHERE slot_type = 'logical' AND active_pid = pid
    ) AS could_take_over FROM pg_stat_replication
  ) AS connected`

/** With these, a commit is acknowledged when a synchronous standby has it on its disk. */
const CONFIRMED: readonly string[] = ['on', 'remote_apply']

/** What a failover of the database could lose; null if that is nothing, or there is no standby. */
export function replicationProblem(state: ReplicationState): StoreProblem | null {
  const { standbys, synchronous, slots, names, commit } = state
  if (names === '' && standbys + slots > 0)
    return {
      message: 'the database replicates asynchronously: a failover could lose acknowledged decisions',
      next: 'set synchronous_standby_names of the database',
    }
  if (names === '') return null
  if (!CONFIRMED.includes(commit))
    return {
      message: `synchronous_commit is "${commit}": a failover could lose acknowledged decisions`,
      next: 'a pooler between Signalbox and the database must keep the settings of a session',
    }
  if (standbys === 0 || synchronous === 0)
    return {
      message: `no standby confirms commits (synchronous_standby_names is "${names}"): writes wait for one`,
      next: 'start a standby with one of these names, or change the setting',
    }
  return null
}
