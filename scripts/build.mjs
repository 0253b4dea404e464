import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, requireNode, root } from './setup.mjs'

requireNode()
install()
rmSync(join(root, 'dist'), { recursive: true, force: true })
build({ force: true })
