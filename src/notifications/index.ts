/*
 * Notifications on this machine: the desktop, a command of the user, and terminals that watch.
 * Three things notify: a pane needs the user, is done, or has failed. (Telegram sends its own, from
 * the log.)
 *
 * `NotificationCenter` follows the board of panes. For questions it asks `planNotifications`
 * (approvals/), the escalation that all channels share; `EndNotifications` delays and filters ends
 * of runs. Quiet hours hold notifications back into one digest.
 */
export type { Notice } from './notification.js'
export { NotificationCenter } from './notification-center.js'
export { openOutlets } from './outlets.js'
