export { botToken, checkBotToken, storeBotToken } from './bot-token.js'
export { lockDaemon } from './daemon-lock.js'
export { type Home, openHome } from './home.js'
export { publicAddress } from './public-address.js'
