// A separate program: appends events to a store as another process. Arguments: path or URL, stream,
// events as JSON.
import { systemClock } from '../../clock/index.js'
import { openPostgres } from '../postgres/open.js'
import { isStoreUrl } from '../postgres/store-url.js'
import { openStore } from '../sqlite/open.js'

const [place = '', stream = '', events = '[]'] = process.argv.slice(2)
const options = { clock: systemClock }
const store = await (isStoreUrl(place)
  ? openPostgres({ url: place, ...options })
  : openStore({ path: place, ...options }))
await store.append(stream, 'any', JSON.parse(events))
await store.close()
