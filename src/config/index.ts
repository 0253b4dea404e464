export { editSettings, isEditable, settingsVersion } from './edit-settings.js'

export { type LoadedConfig, type LoadOptions, loadConfig } from './load.js'
export {
  type Directories,
  ensureDirectories,
  resolveDirectories,
  socketPath,
} from './paths.js'
export { configReference } from './reference.js'
export { type Config, KNOWN_SETTINGS, parseSize } from './schema.js'
