// A separate program: appends events to a SQLite store as another process. Arguments: path, stream,
// events as JSON.
import { systemClock } from '../../clock/index.js'
import { openStore } from '../index.js'

const [path = '', stream = '', events = '[]'] = process.argv.slice(2)
const store = await openStore({ path, clock: systemClock })
await store.append(stream, 'any', JSON.parse(events))
await store.close()
