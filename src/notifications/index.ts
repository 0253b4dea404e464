/*
 * Notifications about panes: on the desktop, in browsers that subscribed (push/), by webhooks and a
 * command of the user, in terminals that watch, and for tmux panes in chats (`pane.noticed`). Four
 * things notify: a pane needs the user, is stuck, is done, or has failed. Telegram sends
 * notifications about sessions and runs itself, from the log.
 *
 * events/ is for programs instead of people: every event of the log that a filter selects.
 *
 * `NotificationCenter` follows the list of panes. For questions it asks `planNotifications`
 * (notification-plan.ts), the escalation that all channels share, the bot too; `EndNotifications`
 * delays and filters notifications that work has ended. Quiet hours delay notifications into
 * one digest.
 */
export { openEventWebhooks, type WebhookRecord, webhookStream, webhooksProjection } from './events/index.js'
export type { PaneNotification, PaneQuestion } from './notification.js'
export { NotificationCenter } from './notification-center.js'
export {
  DEFAULT_NOTIFICATION_TIMES,
  type NotificationChannel,
  planNotifications,
} from './notification-plan.js'
export { openOutlets } from './outlets.js'
export { pushPayload } from './push/payload.js'
export { PushService } from './push/push-service.js'
export { openWebhooks } from './webhooks.js'
