export type { FakeChat, FakeMessage } from './chats.js'
export { FakeBotApi } from './fake-bot-api.js'
export type { Fault } from './faults.js'
export type { FakePerson } from './person.js'
