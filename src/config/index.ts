export { editSettings, isEditable, type SettingValue, settingsVersion } from './edit-settings.js'
export type { Problem, Source } from './layer.js'
export { type LoadedConfig, type LoadOptions, loadConfig, type Origin, type ShownSetting } from './load.js'
export {
  type Directories,
  ensureDirectories,
  type ModeRepair,
  resolveDirectories,
  type SocketOptions,
  socketPath,
} from './paths.js'
export { configReference } from './reference.js'
export { type Config, KNOWN_SETTINGS, parseSize } from './schema.js'
export type { ProjectMay, Setting, SettingType } from './setting.js'
