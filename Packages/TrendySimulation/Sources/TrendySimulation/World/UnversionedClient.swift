import TrendyModels
import TrendyProtocols
import TrendyTesting

/// A client that knows the plain operations only, as an old version of a program does; the rest is what the protocol gives by
/// default.
struct UnversionedClient<Base: NetworkClientProtocol>: ForwardingNetworkClient {
  let base: Base
}

extension NetworkClientProtocol {
  /// What an old version sees of this client.
  var plain: any NetworkClientProtocol { UnversionedClient(base: self) }
}
