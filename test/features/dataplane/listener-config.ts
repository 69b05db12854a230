// The settings of a dataplane port without TLS.

export const TOKEN = 'a secret of some length'

export const listenerConfig = {
  dataplaneBind: '127.0.0.1',
  dataplanePort: 0,
  dataplaneToken: TOKEN,
  dataplaneTlsCert: undefined,
  dataplaneTlsKey: undefined,
  dataplaneTlsClientCa: undefined,
}
