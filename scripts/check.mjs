// `npm run check`: formatter and linter, types, and the rules of the house.
import { join } from 'node:path'
import { install, requireNode, root, run } from './setup.mjs'

requireNode()
install()
run(process.execPath, [join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'])
run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.check.json'])
run(process.execPath, [join(root, 'scripts', 'check-house.mjs')])
