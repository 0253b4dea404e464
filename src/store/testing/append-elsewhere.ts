// A separate program: appends events to a store as another process. Arguments: path or URL, stream,
// events as JSON.
import { systemClock } from '../../clock/index.js'
import { isStoreUrl, openStore } from '../index.js'

const [place = '', stream = '', events = '[]'] = process.argv.slice(2)
const store = await openStore({ ...(isStoreUrl(place) ? { url: place } : { path: place }), clock: systemClock })
await store.append(stream, 'any', JSON.parse(events))
await store.close()
