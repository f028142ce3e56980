import TrendyModels
import TrendyProtocols
import TrendyTesting

/// Client restricted to plain REST calls, like an old version. Everything else uses the default implementations of the
/// protocol.
struct UnversionedClient<Base: NetworkClientProtocol>: ForwardingNetworkClient {
  let base: Base
}

extension NetworkClientProtocol {
  /// This client as an old version uses it.
  var plain: any NetworkClientProtocol { UnversionedClient(base: self) }
}
