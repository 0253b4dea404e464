// Runs the tests of rooms that write events with their stores in PostgreSQL, which the test run
// starts by itself. With `--system` that is the PostgreSQL of the machine, not the package of the
// tests. Further arguments go to vitest.
import { join } from 'node:path'
import { install, requireNode, root, run } from './setup.mjs'

const ROOMS = ['store', 'approvals', 'engine', 'oneshot', 'pipelines', 'host', 'workers'].map(room => `src/${room}/`)

requireNode()
install()
const given = process.argv.slice(2).filter(argument => argument !== '--system')
const isSystem = process.argv.includes('--system')
const paths = given.some(argument => !argument.startsWith('-')) ? [] : ROOMS
run(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...paths, ...given], {
  env: { ...process.env, SIGNALBOX_TEST_STORE: 'postgres', ...(isSystem && { SIGNALBOX_TEST_STORE_SYSTEM: '1' }) },
})
