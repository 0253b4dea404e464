export { ApiProblem, type BotApi, openBotApi } from './bot-api.js'
export type { TelegramDoors } from './desk.js'
export type { PairingState } from './pairing.js'
export { Telegram, type TelegramHealth, type TelegramOptions, type TelegramSettings } from './telegram.js'
