// The part of Foundation that Trendy uses. FoundationEssentials starts faster and embeds smaller than Foundation; Apple's SDKs have
// only Foundation.
#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
