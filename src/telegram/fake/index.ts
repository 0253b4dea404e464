/*
 * A Bot API server on loopback that refuses what Telegram refuses, for tests and `signalbox demo
 * --telegram`. fake-bot-api.ts is the server; state.ts, chats.ts and person.ts what it knows,
 * methods.ts the calls, faults.ts and rates.ts what goes wrong, page.ts the chat in a browser.
 */

export type { FakeChat, FakeMessage } from './chats.js'
export { FakeBotApi } from './fake-bot-api.js'
export type { Fault } from './faults.js'
export type { FakePerson } from './person.js'
