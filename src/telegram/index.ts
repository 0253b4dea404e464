/*
 * The Telegram bot: one more surface over the host. It shows what the host reports and calls what
 * the host offers; it decides nothing itself and keeps all its state in the store, so that it can
 * be stopped, killed and restarted at any moment.
 *
 *   updates ─► incoming/ ─► host, ledger, engine       log of events ─► outgoing/ ─► chats
 *                 └─► commands/ ─► replies ─► outgoing/outbox ─────────────▲
 *
 * telegram.ts          wires the parts, starts and stops them
 * command-services.ts  what commands, texts and buttons use; `TelegramPorts`: what other rooms
 *                      provide
 * chats.ts, topics.ts  who gets messages where, and what is current there; a topic for each session
 *                      and run
 * bot-api.ts           the Bot API: one call function, one error type
 * bot-lease.ts         one bot for each store
 *
 * incoming/   An update becomes an `Intent` (parse-update), is stored (update-handler), and handled
 *             (handle-intent): as a command, a text, a file or a button press. Buttons carry random
 *             tokens; the store has their actions (button-tokens).
 * commands/   The commands of the bot, by topic. Add a command there: commands/index.ts says how.
 * cards/      What messages look like: approval cards and their buttons, status cards, answers.
 * outgoing/   The log becomes messages (log-follower, event-notifier), which wait in the outbox
 *             until the sender has sent them, within the rate limits. Growing answers and the
 *             typing indicator are ephemeral (answer-stream): the newest state wins.
 * fake/       A Bot API server for tests and the demo; the bot does not import it.
 *
 * Two rules hold everywhere. An update is stored before it is confirmed to Telegram, and a message
 * is stored before it is sent: a crash can repeat, but never lose. And a decision goes to
 * `Ledger.decide`, in the same transaction that uses up its button.
 */
export { type BotApi, botName, openBotApi } from './bot-api.js'
export type { TelegramPorts } from './command-services.js'
export type { PairingState } from './incoming/pairing.js'
export { Telegram, type TelegramOptions, type TelegramSettings } from './telegram.js'
