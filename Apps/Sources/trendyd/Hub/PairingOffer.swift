import CommandSupport
import HubContainer
import TrendyHub

/// Pairing code with the hub's URL for devices.
struct PairingOffer {
  let user: HubUser
  let code: String
  /// URL for devices, or `nil` if the hub listens on all networks without a host name, or on a port chosen by the
  /// system.
  let url: String?
  /// Port of the hub, or 0 if unknown.
  let port: UInt16
  let missingAddressHint: String?

  /// Creates an offer with the URL of the running hub or, if none is running, the URL in the settings. The running
  /// hub's settings may differ from the saved ones.
  init(
    user: HubUser, code: String, settings: HubSettings, serving: HubContainer.Serving? = nil
  ) throws(CommandError) {
    self.user = user
    self.code = code
    if let serving {
      (port, url) = (serving.port, serving.deviceURL)
    } else {
      (port, url) = (try settings.endpoint().port, try settings.url())
    }
    missingAddressHint = url == nil ? try settings.missingAddressHint(port: port) : nil
  }

  var members: [(String, JSONText)] {
    [("person", .string(user.name)), ("code", .string(code)), ("url", .string(url)), ("link", .string(link))]
  }

  /// Command to run on the device.
  var connectCommand: String {
    let needsConsent = url.map { HubSettings.isClearText($0) } ?? true
    return
      "trendy connect \(url ?? "http://NAME:\(port == 0 ? "PORT" : "\(port)")") \(code)\(needsConsent ? " --insecure" : "")"
  }

  /// Link with the URL and the code, `trendy://connect?hub=…&code=…`, which apps read from the QR code.
  var link: String? { url.map { PairingLink(hub: $0, code: code).description } }

  func showPicture(on console: Console) {
    if let link, let picture = QRCode(link) { console.picture(picture) }
  }
}
