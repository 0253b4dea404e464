export type { Notice } from './notification.js'
export { NotifyCenter } from './notification-center.js'
export { openOutlets } from './outlets.js'
