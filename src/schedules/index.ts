/*
 * Schedules: commands of Signalbox that start at times of a cron expression. They are events in the
 * store, so they survive every restart; the daemon fires them. The caller passes in the function
 * that starts a command. A command that may be scheduled is added to `SCHEDULED_COMMANDS`.
 */
export { type ScheduleRecord, schedulesProjection } from './schedule-record.js'
export { type Launch, Schedules } from './schedules.js'
