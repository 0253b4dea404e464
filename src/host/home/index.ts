export { type Home, openHome } from './home.js'
export { publicAddress } from './public-address.js'
