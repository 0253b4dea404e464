// Starts an agent, gives it a task, waits for it, and prints what it said.
// node start-session.mjs demo "say hello"
import { connect } from 'signalbox'

const [agent = 'demo', task = 'say hello'] = process.argv.slice(2)
const signalbox = connect()
const { id } = await signalbox.call('sessions.start', { agent, cwd: process.cwd() })
await signalbox.call('sessions.wait', { id, for: 'idle' })
await signalbox.call('sessions.send', { id, text: task })
const { reached } = await signalbox.call('sessions.wait', { id, for: 'idle' })
const { messages, prompts } = await signalbox.call('sessions.conversation', { id })
console.log(`${id} ${reached}: ${prompts.length} prompt(s), ${messages.length} message(s)`)
for (const { blocks } of messages) for (const { text } of blocks) if (text) console.log(text)
