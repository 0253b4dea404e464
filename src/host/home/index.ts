/*
 * Opens a home directory: settings (home.ts), the daemon's lock, the bot's token, the dashboard's
 * public address. A second entry point, for commands that need no host.
 */

export { botToken, checkBotToken, storeBotToken } from './bot-token.js'
export { lockDaemon } from './daemon-lock.js'
export { type Home, openHome } from './home.js'
export { publicAddress } from './public-address.js'
