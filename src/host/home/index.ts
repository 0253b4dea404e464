export { type Home, openHome } from './home.js'
