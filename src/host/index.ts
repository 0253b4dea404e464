export { LiveBus, type LiveUpdate } from './bus.js'
export { Host, type HostOptions } from './host.js'
export { openLedger } from './open-ledger.js'
export { openHomeStore } from './open-store.js'
export type { StartRequest } from './prepare-session.js'
export { stepEnvironment } from './session-environment.js'
export type { HostSettings } from './settings.js'
export {
  type ButtonToken,
  type KnownChat,
  type KnownTopic,
  type OpenUpdate,
  type QueuedItem,
  type ShownCard,
  telegramChatsProjection,
  telegramCursorProjection,
  telegramOutboxProjection,
  telegramProjections,
  telegramShownProjection,
  telegramTokensProjection,
  telegramTopicsProjection,
  telegramUpdatesProjection,
} from './telegram-projections.js'
