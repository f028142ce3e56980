// The subset of Foundation that Trendy uses. FoundationEssentials starts faster and is smaller than Foundation; Apple's
// SDKs provide only Foundation.
#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
