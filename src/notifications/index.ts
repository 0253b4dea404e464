export type { Notice } from './notification.js'
export { NotifyCenter, type NotifyWishes } from './notification-center.js'
export { openOutlets } from './outlets.js'
