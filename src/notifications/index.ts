export type { Notice } from './notification.js'
export { NotificationCenter, type NotificationPreferences } from './notification-center.js'
export { openOutlets } from './outlets.js'
