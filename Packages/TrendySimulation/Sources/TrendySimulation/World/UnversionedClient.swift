import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Client that supports only plain REST calls, like an old version. All other calls use the protocol's default
/// implementations.
struct UnversionedClient<Base: NetworkClientProtocol>: ForwardingNetworkClient {
  let base: Base
}

extension NetworkClientProtocol {
  var plain: any NetworkClientProtocol { UnversionedClient(base: self) }
}
