"""Static pages: the site of a catalog, and the page of a migration plan."""

from __future__ import annotations

from viewscribe.site.build import SiteError, SiteReport, build_site
from viewscribe.site.pages.plan import plan_html

__all__ = ["SiteError", "SiteReport", "build_site", "plan_html"]
