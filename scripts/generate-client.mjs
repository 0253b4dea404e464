// Writes src/client/operations.ts, the operations of the API as types for the client library, from
// the schemas that also check requests. The file is not kept in the repository.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from 'tsx/esm/api'
import { root } from './setup.mjs'

register()
const { clientOperations } = await import('./client-types.mjs')
const file = join(root, 'src', 'client', 'operations.ts')
const text = clientOperations()
// An unchanged file keeps its time, so that nothing is built again.
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
