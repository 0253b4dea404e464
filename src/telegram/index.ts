export { ApiProblem, type BotApi, openBotApi } from './bot-api.js'
export type { TelegramDoors } from './command-services.js'
export type { PairingState } from './incoming/pairing.js'
export { Telegram, type TelegramHealth, type TelegramOptions, type TelegramSettings } from './telegram.js'
