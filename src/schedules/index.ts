/*
 * Schedules: commands of Signalbox that start at times of a cron expression. They are events in the
 * store, so they survive every restart; the daemon fires them. What starts a command is passed in.
 * A command that may be scheduled is added to `SCHEDULED_COMMANDS`.
 */
export { type Cron, nextTime, parseCron } from './cron.js'
export { type ScheduleRecord, schedulesProjection } from './schedule-record.js'
export { type Launch, SCHEDULED_COMMANDS, Schedules } from './schedules.js'
