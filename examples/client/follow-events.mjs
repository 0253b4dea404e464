// Prints events as they happen, until it has seen as many as the first argument says.
// node follow-events.mjs 5 session.started,message.final
import { connect } from 'signalbox'

const [count = '10', types] = process.argv.slice(2)
const stop = new AbortController()
let left = Number(count)
console.log('listening')
for await (const { type, subject, at } of connect().events({
  signal: stop.signal,
  ...(types && { types: types.split(',') }),
})) {
  console.log(`${at} ${type} ${subject}`)
  if (--left === 0) stop.abort()
}
