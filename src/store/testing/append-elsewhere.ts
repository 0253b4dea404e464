// Run as a program of its own: appends events to a SQLite store the way another process would. Arguments: path, stream, events as JSON.
import { systemClock } from '../../clock/index.js'
import { openStore } from '../index.js'

const [path = '', stream = '', events = '[]'] = process.argv.slice(2)
const store = await openStore({ path, clock: systemClock })
await store.append(stream, 'any', JSON.parse(events))
await store.close()
