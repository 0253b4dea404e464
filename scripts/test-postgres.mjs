// Runs the tests of rooms that write events with their stores in PostgreSQL, which the test run
// starts by itself. Further arguments go to vitest.
import { join } from 'node:path'
import { install, requireNode, root, run } from './setup.mjs'

const ROOMS = ['store', 'approvals', 'engine', 'oneshot', 'pipelines', 'host', 'workers'].map(room => `src/${room}/`)

requireNode()
install()
const given = process.argv.slice(2)
const paths = given.some(argument => !argument.startsWith('-')) ? [] : ROOMS
run(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...paths, ...given], {
  env: { ...process.env, SIGNALBOX_TEST_STORE: 'postgres' },
})
