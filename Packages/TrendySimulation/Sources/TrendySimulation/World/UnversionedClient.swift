import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Client that supports only plain REST calls, like an old version. For all other calls it uses the protocol's default
/// implementations.
struct UnversionedClient<Base: NetworkClientProtocol>: ForwardingNetworkClient {
  let base: Base
}

extension NetworkClientProtocol {
  /// This client, restricted to the calls of an old version.
  var plain: any NetworkClientProtocol { UnversionedClient(base: self) }
}
