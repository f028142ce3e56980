import CommandSupport
import HubContainer
import TrendyHub

/// Pairing code with the address for devices.
struct PairingOffer {
  let user: HubUser
  let code: String
  /// `nil` if the hub listens on all networks without a name, or its port is unknown.
  let url: String?
  /// 0 if unknown.
  let port: UInt16
  /// Instruction if there is no address for devices.
  let missingAddressHint: String?

  /// Creates the offer. The address comes from the running hub, if any, because its settings may differ from the saved
  /// ones.
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

  /// Link with address and code, for apps that scan a QR code: `trendy://connect?hub=…&code=…`.
  var link: String? { url.map { PairingLink(hub: $0, code: code).description } }

  /// Prints the link as a QR code on a terminal.
  func showPicture(on console: Console) {
    if let link, let picture = QRCode(link) { console.picture(picture) }
  }
}
